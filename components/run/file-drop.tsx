'use client';

import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { formatBytes } from '@/components/text/format-bytes';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';

/** As much as the relay takes. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

type FileDropProps = {
  readonly onText: (text: string) => void;
  readonly onFault: (message: string) => void;
  /** Gets the button that opens the file dialog, to place it where it fits. */
  readonly children: (chooseButton: ReactNode) => ReactNode;
};

/** The whole page takes a dropped file; the button takes a chosen one, the same one twice in a row too. */
export function FileDrop({ onText, onFault, children }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const depth = useRef(0);
  const input = useRef<HTMLInputElement>(null);

  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const text = await readText(file);
    if (text.ok) onText(text.text);
    else onFault(text.message);
  };
  const holdsFile = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const leave = () => {
    depth.current = 0;
    setIsOver(false);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button beside it does the same
    <div
      className="relative flex min-h-full flex-1 flex-col lg:min-h-0"
      onDragEnter={(event) => {
        if (!holdsFile(event)) return;
        depth.current += 1;
        setIsOver(true);
      }}
      onDragOver={(event) => {
        if (holdsFile(event)) event.preventDefault();
      }}
      onDragLeave={() => {
        depth.current -= 1;
        if (depth.current <= 0) leave();
      }}
      onDrop={(event) => {
        if (!holdsFile(event)) return;
        event.preventDefault();
        leave();
        void read(event.dataTransfer.files[0]);
      }}
    >
      {children(
        <>
          <Button icon="file" onClick={() => input.current?.click()}>
            {runText.create.choose}
          </Button>
          <input
            ref={input}
            type="file"
            accept=".json,application/json"
            aria-label={runText.create.choose}
            className="hidden"
            onChange={(event) => {
              const { files } = event.currentTarget;
              void read(files?.[0]);
              // A browser tells of a choice only when it differs from the last one.
              event.currentTarget.value = '';
            }}
          />
        </>,
      )}
      {isOver ? (
        <div className="pointer-events-none absolute inset-2 z-10 grid place-items-center rounded-lg border-2 border-dashed border-focus bg-blue-tint/90 text-lg font-semibold text-blue-text">
          {runText.create.drop}
        </div>
      ) : null}
    </div>
  );
}

type ReadFile = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

async function readText(file: File): Promise<ReadFile> {
  if (file.size > FILE_BYTES_MAX) {
    const message = runText.create.fileTooLarge(file.name, formatBytes(file.size), formatBytes(FILE_BYTES_MAX));
    return { ok: false, message };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return { ok: true, text };
  } catch {
    // Bytes that are no text, or a file that vanished after it was chosen: both are told as what they mean here.
    return { ok: false, message: runText.create.fileNotText(file.name) };
  }
}
