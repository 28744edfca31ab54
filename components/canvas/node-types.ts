import type { EdgeTypes, NodeTypes } from 'reactflow';
import { TaskStarLineEdge } from './task-star-line-edge';
import { TaskStarNode } from './task-star-node';

/** Module constants: React Flow mounts every node anew when these change. */
export const nodeTypes: NodeTypes = { task: TaskStarNode };
export const edgeTypes: EdgeTypes = { line: TaskStarLineEdge };
