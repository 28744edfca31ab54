'use client';

import { FailureNotice } from '@/components/shell/error-card';

type PageErrorProps = { readonly error: Error & { readonly digest?: string }; readonly reset: () => void };

export default function PageError({ error, reset }: PageErrorProps) {
  const reason = error.digest === undefined ? error.message : `${error.message} (${error.digest})`;
  return <FailureNotice reason={reason} onRetry={reset} />;
}
