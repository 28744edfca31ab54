import type { ClientMessage, ServerMessage } from '@/lib/aip/messages';
import { isJsonObject, type JsonObject, type JsonValue } from '@/lib/std/json';

/** A device and the library's helpers take any first reply with status `ok` for a yes. */
export function isRegistered(reply: ServerMessage): boolean {
  return reply.status === 'ok';
}

/** A constellation is stricter: only a heartbeat says yes, only an error says no, anything else is not an answer. */
export function constellationVerdict(reply: ServerMessage): 'registered' | 'refused' | 'undecided' {
  if (reply.type === 'error') return 'refused';
  return reply.type === 'heartbeat' && reply.status === 'ok' ? 'registered' : 'undecided';
}

/** What a constellation says of itself, as the stock one does. */
export function constellationMetadata(taskName: string): JsonObject {
  return {
    task_name: taskName,
    capabilities: ['task_distribution', 'session_management', 'device_coordination'],
    version: '2.0',
  };
}

/** The extensions that a client announces; none when it is a stock one. */
export function announcedExtensions(register: ClientMessage): readonly string[] {
  return textsOf(register.metadata?.extensions);
}

/** The extensions that a server agrees to. What we did not announce is not agreed, whatever it says. */
export function agreedExtensions(confirmation: ServerMessage, announced: readonly string[]): readonly string[] {
  const { result } = confirmation;
  if (result === undefined || !isJsonObject(result)) return [];
  return textsOf(result.extensions).filter((name) => announced.includes(name));
}

/** The device information of a REGISTER; anything but an object counts as absent. */
export function registeredSystemInfo(register: ClientMessage): JsonObject | undefined {
  const info = register.metadata?.system_info;
  return info !== undefined && isJsonObject(info) ? info : undefined;
}

export function registeredPlatform(register: ClientMessage): string {
  const platform = register.metadata?.platform;
  return typeof platform === 'string' && platform !== '' ? platform : 'windows';
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string');
}
