import { runText } from '@/components/text/run-text';
import { StateBadge } from '@/components/ui/badge';
import type { DisplayState } from '@/lib/run/display-state';
import type { RunWord } from '@/lib/store/selectors/run-overview';
import { RUN_LOOK, TASK_TONE } from './task-state';
import { TaskStateIcon } from './task-state-icon';

export function TaskStateBadge({ state }: { readonly state: DisplayState }) {
  return <StateBadge tone={TASK_TONE[state]} icon={<TaskStateIcon state={state} />} word={runText.state[state]} />;
}

export function RunStateBadge({ word }: { readonly word: RunWord }) {
  const look = RUN_LOOK[word];
  return <StateBadge tone={TASK_TONE[look]} icon={<TaskStateIcon state={look} />} word={runText.word[word]} />;
}
