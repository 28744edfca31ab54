'use client';

import { memo, useLayoutEffect, useRef, useState } from 'react';
import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy-button';
import type { RunId, TaskId } from '@/lib/std/ids';
import { blocksOf } from './output-blocks';
import { Section } from './section';
import { useTaskOutput } from './use-task-output';

/** So near to the end, somebody who scrolls means the end. */
const AT_END_PX = 12;

type TaskOutputProps = { readonly runId: RunId; readonly taskId: TaskId; readonly isRunning: boolean };

/** What the task prints, while it prints it, and afterwards for as long as the relay keeps it. */
export function TaskOutput({ runId, taskId, isRunning }: TaskOutputProps) {
  const { mark, output } = useTaskOutput(runId, taskId);
  const words = runText.output;
  const { copy, copied, copyFailed } = text.shell.common;
  const { lines, firstLine } = output;
  if (lines.length === 0) {
    if (!isRunning || mark === undefined) return null;
    return (
      <Section title={words.title}>
        <p className="text-sm text-muted">{mark.isLive ? words.none : words.notLive}</p>
      </Section>
    );
  }
  const actions = <CopyButton value={lines.join('\n')} label={copy} doneLabel={copied} failedLabel={copyFailed} />;
  return (
    <Section title={words.title} actions={actions}>
      {firstLine > 0 ? <p className="text-xs text-muted">{words.leftOut(firstLine)}</p> : null}
      <Tail key={output.attempt} lines={lines} firstLine={firstLine} />
    </Section>
  );
}

type TailProps = { readonly lines: readonly string[]; readonly firstLine: number };

/**
 * Follows the end until somebody scrolls up. A program may print a hundred lines in a second, and a screen reader would
 * read each of them aloud over everything else; so it is a log that speaks only when it is gone through by hand.
 */
function Tail({ lines, firstLine }: TailProps) {
  const area = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the lines moves the end
  useLayoutEffect(() => {
    if (isFollowing && area.current !== null) area.current.scrollTop = area.current.scrollHeight;
  }, [lines, isFollowing]);
  return (
    <div className="relative">
      <div
        ref={area}
        role="log"
        aria-live="off"
        aria-label={runText.output.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be scrolled with a keyboard too
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setIsFollowing(scrollHeight - scrollTop - clientHeight <= AT_END_PX)
        }
        className="max-h-[45vh] min-h-16 overflow-y-auto rounded-md border border-line bg-canvas px-3 py-2 font-mono text-xs"
      >
        {blocksOf(lines, firstLine).map(({ number, content }) => (
          <Block key={number} content={content} />
        ))}
      </div>
      {isFollowing ? null : (
        <Button
          isSmall
          icon="chevron-down"
          className="absolute right-4 bottom-2 shadow-md"
          onClick={() => {
            setIsFollowing(true);
            area.current?.focus({ preventScroll: true });
          }}
        >
          {runText.output.toEnd}
        </Button>
      )}
    </div>
  );
}

/** Painted again only when its own lines change, so that a long output costs no more than its end. */
const Block = memo(function Block({ content }: { readonly content: string }) {
  return <div className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">{content}</div>;
});
