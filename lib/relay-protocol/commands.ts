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

/** What can be done over HTTP only, since it is no command of a socket. */
type HttpActionType = 'devices-import' | 'run-create' | 'sign-in-link-make';
export type ActionType = CommandType | HttpActionType;

/** The least role that may do something. The relay refuses by it and the screen greys out by it. */
export const ROLE_NEEDED: Record<ActionType, Role> = {
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
  'devices-import': 'admin',
  'run-create': 'operator',
  'sign-in-link-make': 'admin',
};

export function mayCommand(role: Role, type: ActionType): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(ROLE_NEEDED[type]);
}
