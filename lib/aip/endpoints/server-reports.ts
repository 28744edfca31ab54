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
const TOO_LARGE = { error: `The result is larger than the ${BYTES_MAX} bytes that are kept; TASK_END has carried it` };

type Report = { readonly result: JsonValue; readonly bytes: number };

/** Keeps the newest results within a number and a size; a note stands for one that is too large alone. */
export function createReports(): Reports {
  const reports = new Map<string, Report>();
  let bytes = 0;

  function forget(taskName: string) {
    bytes -= reports.get(taskName)?.bytes ?? 0;
    reports.delete(taskName);
  }

  function put(taskName: string, report: Report) {
    reports.set(taskName, report);
    bytes += report.bytes;
  }

  return {
    begin: forget,
    end(taskName, result) {
      forget(taskName);
      const size = jsonBytesOf([taskName, result], BYTES_MAX);
      if (size < BYTES_MAX) put(taskName, { result, bytes: size });
      else put(taskName, { result: TOO_LARGE, bytes: taskName.length });
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
