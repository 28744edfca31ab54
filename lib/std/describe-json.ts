import { isJsonObject, type JsonValue } from './json';

const TEXT_SHOWN_MAX = 80;
const KEYS_SHOWN_MAX = 6;

/** What came, for the second half of "expected …, got …". Short, whatever the value is. */
export function describeJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (isJsonObject(value)) {
    const keys = Object.keys(value);
    if (keys.length === 0) return 'an empty object';
    const more = keys.length > KEYS_SHOWN_MAX ? ', …' : '';
    return `an object with ${keys.slice(0, KEYS_SHOWN_MAX).join(', ')}${more}`;
  }
  const text = JSON.stringify(value);
  return text.length > TEXT_SHOWN_MAX ? `${text.slice(0, TEXT_SHOWN_MAX)}…` : text;
}
