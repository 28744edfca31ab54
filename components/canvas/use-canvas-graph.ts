import { useMemo } from 'react';
import type { Shape } from '@/lib/constellation/graph';
import { layoutConstellation } from '@/lib/constellation/layout';
import { type CanvasGraph, shapeKey, toCanvasGraph } from './canvas-graph';

/** The drawing of a plan; the same object until a task or a line is added, removed or joined otherwise. */
export function useCanvasGraph(shape: Shape): CanvasGraph {
  const key = useMemo(() => shapeKey(shape), [shape]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for all of the shape that is drawn
  return useMemo(() => toCanvasGraph(shape, layoutConstellation(shape)), [key]);
}
