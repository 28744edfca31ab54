'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { runText } from '@/components/text/run-text';
import { Button } from '@/components/ui/button';
import { readTextFile } from './read-text-file';

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
    const text = await readTextFile(file);
    if (text.ok) onText(text.value);
    else onFault(text.error);
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
