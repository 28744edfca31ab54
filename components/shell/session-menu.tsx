'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useBoard } from '@/components/providers/constellation-provider';
import { ANY_ANSWER, askRelay } from '@/components/providers/relay-http';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';

/** Who is signed in, and the way out. */
export function SessionMenu() {
  const session = useBoard((state) => state.session);
  const router = useRouter();
  const [isLeaving, setIsLeaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const words = text.shell.session;

  async function signOut(): Promise<void> {
    setIsLeaving(true);
    setProblem(undefined);
    const answer = await askRelay({ method: 'DELETE', path: '/v1/session', answer: ANY_ANSWER });
    setIsLeaving(false);
    if (answer.ok || answer.error.status === 401) router.replace('/sign-in');
    else setProblem(words.signOutFailed(answer.error.detail));
  }

  return (
    <div className="flex min-w-0 items-center gap-1">
      {session !== null && (
        <span
          className="hidden max-w-40 truncate text-xs text-muted md:inline"
          title={words.signedInAs(session.actor, session.role)}
        >
          {words.signedInAs(session.actor, session.role)}
        </span>
      )}
      <Button
        look="quiet"
        icon="sign-out"
        isIconOnly
        isBusy={isLeaving}
        aria-label={words.signOut}
        title={problem ?? words.signOut}
        onClick={signOut}
      />
      {problem !== undefined && (
        <span role="alert" className="max-w-40 truncate text-xs text-red-text" title={problem}>
          {problem}
        </span>
      )}
    </div>
  );
}
