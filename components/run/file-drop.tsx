'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
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
  const input = useRef<HTMLInputElement>(null);

  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const text = await readText(file);
    if (text.ok) onText(text.text);
    else onFault(text.message);
  };
  const readOnly = (files: FileList) => {
    if (files.length > 1) onFault(runText.create.oneFile(files.length));
    else void read(files[0]);
  };
  const take = useRef(readOnly);
  take.current = readOnly;
  // On the whole document: a file that misses the page by a hair would make the browser leave it, and what was typed with it.
  useEffect(() => watchDrops({ onOver: setIsOver, onFiles: (files) => take.current(files) }), []);

  return (
    <div className="relative flex min-h-full flex-1 flex-col lg:min-h-0">
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

type DropEvents = {
  readonly onOver: (isOver: boolean) => void;
  readonly onFiles: (files: FileList) => void;
};

/** @returns stops watching */
function watchDrops({ onOver, onFiles }: DropEvents): () => void {
  const watch = new AbortController();
  const { signal } = watch;
  // Each element that the pointer crosses tells of its own entering and leaving.
  let depth = 0;
  const whenFile = (handle: (event: DragEvent, data: DataTransfer) => void) => (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) handle(event, event.dataTransfer);
  };
  const step = (by: number) =>
    whenFile(() => {
      depth = Math.max(0, depth + by);
      onOver(depth > 0);
    });
  document.addEventListener('dragenter', step(1), { signal });
  document.addEventListener('dragleave', step(-1), { signal });
  document.addEventListener(
    'dragover',
    whenFile((event) => event.preventDefault()),
    { signal },
  );
  document.addEventListener(
    'drop',
    whenFile((event, data) => {
      event.preventDefault();
      depth = 0;
      onOver(false);
      onFiles(data.files);
    }),
    { signal },
  );
  return () => watch.abort();
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
