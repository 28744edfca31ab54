import type { Layers, Slot } from './layout-slots';

const ORDER_SWEEPS = 8;
const ALIGN_SWEEPS = 6;

/** Puts each slot near the middle of its neighbours, layer by layer to and fro, which lessens crossings. In place. */
export function orderLayers(layers: Layers): void {
  sweep(layers, ORDER_SWEEPS, (layer, side) => {
    const weights = new Map(layer.map((slot) => [slot, mean(slot[side], 'place') ?? slot.place]));
    layer.sort((one, other) => (weights.get(one) ?? 0) - (weights.get(other) ?? 0));
    for (const [place, slot] of layer.entries()) slot.place = place;
  });
}

export type Spacing = { readonly taskPitch: number; readonly passagePitch: number };

/** Gives each slot the height of its neighbours as far as order and spacing allow; so chains run straight. In place. */
export function alignLayers(layers: Layers, spacing: Spacing): void {
  for (const layer of layers) settle(layer, spacing, () => 0);
  sweep(layers, ALIGN_SWEEPS, (layer, side) => {
    settle(layer, spacing, (slot) => mean(slot[side], 'centre') ?? slot.centre);
  });
}

function sweep(layers: Layers, times: number, visit: (layer: Slot[], side: 'before' | 'after') => void): void {
  for (let time = 0; time < times; time += 1) {
    const isForth = time % 2 === 0;
    for (const layer of isForth ? layers : layers.toReversed()) visit(layer, isForth ? 'before' : 'after');
  }
}

function mean(slots: readonly Slot[], of: 'place' | 'centre'): number | null {
  if (slots.length === 0) return null;
  let sum = 0;
  for (const slot of slots) sum += slot[of];
  return sum / slots.length;
}

type Pool = { readonly first: number; sum: number; count: number };

/**
 * The nearest positions to those that are wished for, in the given order and no closer than the spacing (pool adjacent
 * violators): slots that push each other form a pool, which stands where its slots want it on average.
 */
function settle(layer: readonly Slot[], spacing: Spacing, wish: (slot: Slot) => number): void {
  const offsets = offsetsOf(layer, spacing);
  const pools: Pool[] = [];
  for (const [index, slot] of layer.entries()) {
    let pool: Pool = { first: index, sum: wish(slot) - (offsets[index] ?? 0), count: 1 };
    for (let above = pools.at(-1); above !== undefined && middle(above) >= middle(pool); above = pools.at(-1)) {
      pools.pop();
      pool = { first: above.first, sum: above.sum + pool.sum, count: above.count + pool.count };
    }
    pools.push(pool);
  }
  for (const pool of pools) {
    for (let index = pool.first; index < pool.first + pool.count; index += 1) {
      const slot = layer[index];
      if (slot !== undefined) slot.centre = middle(pool) + (offsets[index] ?? 0);
    }
  }
}

function middle(pool: Pool): number {
  return pool.sum / pool.count;
}

/** How far below the first slot each one stands when all are packed. */
function offsetsOf(layer: readonly Slot[], { taskPitch, passagePitch }: Spacing): number[] {
  const halfOf = (slot: Slot) => (slot.content.kind === 'task' ? taskPitch : passagePitch) / 2;
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, slot] of layer.entries()) {
    const above = layer[index - 1];
    if (above !== undefined) offset += halfOf(above) + halfOf(slot);
    offsets.push(offset);
  }
  return offsets;
}
