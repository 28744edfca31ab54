import type { DeviceId } from '@/lib/std/ids';
import type { JsonObject } from '@/lib/std/json';

export type OneStar = {
  readonly deviceId: DeviceId;
  readonly request: string;
  readonly name: string;
  /** Makes ids that differ from send to send. */
  readonly nonce: string;
  readonly at: string;
};

const NAME_LENGTH_MAX = 60;

/** A constellation with one task, in the reference's JSON form: what `Send task` posts. */
export function oneStarConstellation({ deviceId, request, name, nonce, at }: OneStar): JsonObject {
  return {
    constellation_id: `constellation_${nonce}`,
    name,
    state: 'created',
    tasks: {
      'task-1': {
        task_id: 'task-1',
        name: firstLine(request),
        description: request,
        tips: [],
        target_device_id: deviceId,
        device_type: null,
        priority: 2,
        status: 'pending',
        result: null,
        error: null,
        timeout: null,
        retry_count: 0,
        current_retry: 0,
        task_data: {},
        expected_output_type: null,
        created_at: at,
        updated_at: at,
        execution_start_time: null,
        execution_end_time: null,
      },
    },
    dependencies: {},
    metadata: {},
    created_at: at,
    updated_at: at,
    execution_start_time: null,
    execution_end_time: null,
  };
}

function firstLine(request: string): string {
  const line = request.trim().split('\n', 1)[0] ?? '';
  return line.length <= NAME_LENGTH_MAX ? line : `${line.slice(0, NAME_LENGTH_MAX - 3)}...`;
}
