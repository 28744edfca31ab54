import type { JsonValue } from '@/lib/std/json';
import type { TaskReport } from './device-server-types';
import { jsonBytesOf } from './json-bytes';

/** What came of tasks, by name, for whoever asks over HTTP. */
export type Reports = {
  /** A task of this name has begun: what an older one came to is forgotten. */
  begin(taskName: string): void;
  end(taskName: string, result: JsonValue): void;
  /** Unknown names are pending. */
  of(taskName: string): TaskReport;
};

const REPORTS_MAX = 1_000;
const BYTES_MAX = 67_108_864;

/** Keeps the newest results within a number and a size; a result that is too large alone is not kept. */
export function createReports(): Reports {
  const reports = new Map<string, { readonly result: JsonValue; readonly bytes: number }>();
  let bytes = 0;

  function forget(taskName: string) {
    bytes -= reports.get(taskName)?.bytes ?? 0;
    reports.delete(taskName);
  }

  return {
    begin: forget,
    end(taskName, result) {
      forget(taskName);
      const size = jsonBytesOf(result, BYTES_MAX);
      if (size >= BYTES_MAX) {
        const note = { error: `The result is larger than the ${BYTES_MAX} bytes that are kept; it was in TASK_END` };
        reports.set(taskName, { result: note, bytes: 0 });
        return;
      }
      reports.set(taskName, { result, bytes: size });
      bytes += size;
      for (const oldest of reports.keys()) {
        if (bytes <= BYTES_MAX && reports.size <= REPORTS_MAX) break;
        forget(oldest);
      }
    },
    of(taskName) {
      const report = reports.get(taskName);
      return report ? { status: 'done', result: report.result } : { status: 'pending' };
    },
  };
}
