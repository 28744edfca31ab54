'use client';

import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';

const DEADLINE_MS = 10_000;

type ExampleListProps = {
  readonly names: readonly string[];
  readonly onText: (text: string) => void;
  readonly onFault: (message: string) => void;
};

/** The project's own constellations, one press each. */
export function ExampleList({ names, onText, onFault }: ExampleListProps) {
  if (names.length === 0) return null;
  const load = async (name: string) => {
    const text = await loadExample(name);
    if (text === undefined) onFault(runText.create.exampleFailed(name));
    else onText(text);
  };
  return (
    <div className="flex flex-col gap-1">
      <p className="text-xs font-semibold text-muted">{runText.create.examples}</p>
      <ul className="flex flex-wrap gap-1">
        {names.map((name) => (
          <li key={name}>
            <Button isSmall onClick={() => load(name)}>
              {name.replaceAll('_', ' ')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

async function loadExample(name: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`/examples/${encodeURIComponent(name)}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    // No answer in time or no connection: the caller says that it could not be loaded.
    return undefined;
  }
}
