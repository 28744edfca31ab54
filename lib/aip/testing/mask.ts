const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

/** Replaces ids and times as the vectors do: the same id is the same number, counted from 1 in order of appearance. */
export function createMask(): (value: unknown) => unknown {
  const numbers = new Map<string, number>();
  return function mask(value: unknown): unknown {
    if (typeof value === 'string') {
      if (TIMESTAMP.test(value)) return '<iso8601-utc>';
      if (!UUID.test(value)) return value;
      if (!numbers.has(value)) numbers.set(value, numbers.size + 1);
      return `<uuid:${numbers.get(value)}>`;
    }
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(member)]));
  };
}
