import type { Blobs } from '@/relay/engine/engine';
import type { ApiRoute } from './api-env';
import { blobRoute } from './blob-route';
import { deviceRoutes } from './device-routes';
import { devicesImportRoute } from './devices-import-route';
import { healthRoutes } from './health-routes';
import { type RunImportPorts, runImportRoute } from './run-import-route';
import { runRoutes } from './run-routes';
import { type SessionPorts, sessionRoutes } from './session-routes';
import { taskOutputRoute } from './task-output-route';

export type RoutePorts = RunImportPorts & SessionPorts & { readonly blobs: Blobs };

/** Everything that the relay serves over HTTP, pages aside. */
export function createRoutes(ports: RoutePorts): readonly ApiRoute[] {
  return [
    ...healthRoutes(ports.runtime),
    ...deviceRoutes(ports),
    devicesImportRoute(ports),
    ...runRoutes(ports),
    runImportRoute(ports),
    taskOutputRoute(ports.runtime),
    blobRoute(ports.blobs),
    ...sessionRoutes(ports),
  ];
}
