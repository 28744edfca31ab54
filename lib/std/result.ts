/** A value or a reason: what a rule or a parser answers. Faults of the world are thrown instead. */
export type Result<Value, Failure> = { ok: true; value: Value } | { ok: false; error: Failure };

export function ok<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value };
}

export function err<Failure>(error: Failure): { ok: false; error: Failure } {
  return { ok: false, error };
}
