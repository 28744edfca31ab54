import { formatBytes } from '@/components/text/format-bytes';
import { runText } from '@/components/text/run-text';
import { err, ok, type Result } from '@/lib/std/result';

/** What every browser holds in one text. How much a run may have is a setting of the relay, which says so itself. */
const TEXT_BYTES_MAX = 256 * 1024 * 1024;

/** @returns the text of a file, or a sentence that says why there is none */
export async function readTextFile(file: Pick<File, 'name' | 'size' | 'arrayBuffer'>): Promise<Result<string, string>> {
  if (file.size > TEXT_BYTES_MAX) {
    return err(runText.create.fileTooLarge(file.name, formatBytes(file.size), formatBytes(TEXT_BYTES_MAX)));
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
  } catch {
    // Bytes that are no text, or a file that vanished after it was chosen: both are told as what they mean here.
    return err(runText.create.fileNotText(file.name));
  }
}
