import { useEffect, useRef, useState } from 'react';
import { text } from '@/components/text/catalogue';
import { runText } from '@/components/text/run-text';
import type { CommandVerdict } from '@/lib/client/command-verdict';
import { assertNever } from '@/lib/std/assert-never';

export type CommandState = {
  /** From the press until the relay has answered. */
  readonly isAsking: boolean;
  /** Why the last command did not do what was asked; null when it did. */
  readonly complaint: string | null;
  /** Takes no second press while the first is under way. */
  readonly ask: (send: () => Promise<CommandVerdict>) => void;
  readonly dismiss: () => void;
};

/** Sends commands of one place on the screen and keeps what went wrong until the next one, or until it is dismissed. */
export function useCommand(): CommandState {
  const [isAsking, setIsAsking] = useState(false);
  const [complaint, setComplaint] = useState<string | null>(null);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return {
    isAsking,
    complaint,
    ask(send) {
      if (isAsking) return;
      setIsAsking(true);
      setComplaint(null);
      send().then((verdict) => {
        if (!isMounted.current) return;
        setIsAsking(false);
        setComplaint(complaintOf(verdict));
      });
    },
    dismiss: () => setComplaint(null),
  };
}

export function complaintOf(verdict: CommandVerdict): string | null {
  switch (verdict.status) {
    case 'accepted':
    case 'duplicate':
      return null;
    case 'rejected':
      return runText.verdict.refused(verdict.refusal.message);
    case 'unsent':
      return verdict.why === 'offline' ? text.shell.verdict.offline : text.shell.verdict.tooMany;
    case 'unknown':
      return text.shell.verdict.unknown;
    default:
      return assertNever(verdict);
  }
}
