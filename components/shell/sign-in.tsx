'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { ANY_ANSWER, askRelay } from '@/components/providers/relay-http';
import { text } from '@/components/text/catalogue';
import { Notice } from '@/components/ui/notice';
import { ProgressArc } from '@/components/ui/progress-arc';
import { sessionSchema } from '@/lib/relay-protocol/http';
import { nextAfterSignIn } from './sign-in-address';

type State = { readonly phase: 'working' } | { readonly phase: 'asking'; readonly problem: string | undefined };

/** Turns the code of a sign-in link into a session; without a code it says how to get a link. */
export function SignIn() {
  const router = useRouter();
  const [state, setState] = useState<State>({ phase: 'working' });
  const isTaken = useRef(false);

  useEffect(() => {
    async function enter(): Promise<void> {
      const code = takeCode();
      // Effects run twice in development, and the code is good once.
      if (code === undefined && isTaken.current) return;
      isTaken.current = true;
      setState({ phase: 'working' });
      const problem = code === undefined ? undefined : await openSession(code);
      const isSignedIn = (code !== undefined && problem === undefined) || (await hasSession());
      if (isSignedIn) router.replace(nextAfterSignIn(window.location.search));
      else setState({ phase: 'asking', problem });
    }
    void enter();
    window.addEventListener('hashchange', enter);
    return () => window.removeEventListener('hashchange', enter);
  }, [router]);

  const words = text.shell.signIn;
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4 rounded-lg border border-line bg-card p-6">
        <h1 className="text-xl font-semibold">
          {state.phase === 'working' ? words.working : `${words.title} - ${text.shell.product}`}
        </h1>
        {state.phase === 'working' ? (
          <p className="flex items-center gap-2 text-sm text-muted">
            <ProgressArc className="text-blue-solid" />
            {text.shell.common.loading}
          </p>
        ) : (
          <>
            {state.problem !== undefined && <Notice tone="red">{words.linkFailed(state.problem)}</Notice>}
            <p className="text-sm">{words.how}</p>
            <ul className="list-disc space-y-1.5 pl-5 text-sm text-muted">
              {words.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </main>
  );
}

/** Reads the code and takes it out of the address, so that it stays in no history and no screenshot. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code');
  if (code === null || code === '') return undefined;
  window.history.replaceState(window.history.state, '', `${window.location.pathname}${window.location.search}`);
  return code;
}

/** @returns what went wrong, or nothing */
async function openSession(code: string): Promise<string | undefined> {
  const body = { type: 'application/json', text: JSON.stringify({ code }) } as const;
  const answer = await askRelay({ method: 'POST', path: '/v1/session', body, answer: ANY_ANSWER });
  return answer.ok ? undefined : answer.error.detail;
}

async function hasSession(): Promise<boolean> {
  return (await askRelay({ method: 'GET', path: '/v1/session', answer: sessionSchema })).ok;
}
