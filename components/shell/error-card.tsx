'use client';

import { Component, type ReactNode } from 'react';
import { text } from '@/components/text/catalogue';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';

/** What a failed part of the page shows instead of itself. */
export function FailureNotice({ reason, onRetry }: { readonly reason: string; readonly onRetry: () => void }) {
  const words = text.shell.failure;
  return (
    <Notice
      tone="red"
      title={words.title}
      className="m-3"
      actions={
        <Button isSmall icon="refresh" onClick={onRetry}>
          {words.retry}
        </Button>
      }
    >
      {words.detail(reason)}
    </Notice>
  );
}

/** Keeps a failure of one panel inside of it; the rest of the page goes on. */
export class ErrorCard extends Component<{ readonly children: ReactNode }, { readonly failure: Error | undefined }> {
  override state: { readonly failure: Error | undefined } = { failure: undefined };

  static getDerivedStateFromError(cause: unknown): { failure: Error } {
    return { failure: cause instanceof Error ? cause : new Error(String(cause)) };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return <FailureNotice reason={failure.message} onRetry={() => this.setState({ failure: undefined })} />;
  }
}
