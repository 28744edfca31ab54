import { z } from 'zod';
import { fleetCommandSchema } from '@/lib/fleet/commands';
import { runCommandSchema } from '@/lib/run/commands';

/** Everything that a browser may ask for. */
export const commandSchema = z.union([fleetCommandSchema, runCommandSchema]);
export type Command = z.infer<typeof commandSchema>;
export type CommandType = Command['type'];

const ROLES = ['viewer', 'operator', 'admin'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

/** The least role that may send a command. The relay refuses by it and the screen greys out by it. */
export const ROLE_NEEDED: Record<CommandType, Role> = {
  'device-add': 'admin',
  'device-edit': 'admin',
  'device-remove': 'admin',
  'device-refresh': 'operator',
  'device-reconnect': 'operator',
  'run-launch': 'operator',
  'run-cancel': 'operator',
  'task-place': 'operator',
  'task-dispatch': 'operator',
  'task-cancel': 'operator',
  'task-retry': 'operator',
};

export function mayCommand(role: Role, type: CommandType): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(ROLE_NEEDED[type]);
}
