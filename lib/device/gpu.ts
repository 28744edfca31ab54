import { isJsonObject, type JsonObject, parseJson } from '@/lib/std/json';

/** What a tool reported of one graphics processor; what it did not report is absent. */
export type Gpu = {
  readonly name: string;
  readonly memory_total_mb?: number;
  readonly memory_used_mb?: number;
  readonly utilisation_percent?: number;
};

/** The name comes last: only it could hold a comma. */
export const NVIDIA_QUERY: readonly string[] = [
  '--query-gpu=memory.total,memory.used,utilization.gpu,name',
  '--format=csv,noheader,nounits',
];

export const ROCM_QUERY: readonly string[] = ['--showproductname', '--showuse', '--showmeminfo', 'vram', '--json'];

const BYTES_PER_MB = 2 ** 20;
const NUMBER = /^\d+(\.\d+)?$/;

/** Reads what `nvidia-smi` prints for {@link NVIDIA_QUERY}. Words in place of rows are no GPU. */
export function parseNvidiaSmi(output: string): readonly Gpu[] {
  return output.split(/\r?\n/).flatMap((row) => {
    const [total, used, use, ...rest] = row.split(',').map((cell) => cell.trim());
    const name = rest.join(', ');
    if (total === undefined || used === undefined || use === undefined || name === '') return [];
    if (![total, used, use].every(isReading)) return [];
    return [toGpu(name, { totalMb: amountOf(total), usedMb: amountOf(used), usePercent: amountOf(use) })];
  });
}

/** Reads the JSON that `rocm-smi` prints for {@link ROCM_QUERY}; what else it prints around that is skipped. */
export function parseRocmSmi(output: string): readonly Gpu[] {
  const json = parseJson(output.slice(Math.max(output.indexOf('{'), 0)).trim(), { depthMax: 8, protoKey: 'refuse' });
  if (!json.ok || !isJsonObject(json.value)) return [];
  return Object.entries(json.value).flatMap(([key, card]) => {
    if (!/^card\d+$/.test(key) || !isJsonObject(card)) return [];
    const read = readerOf(card);
    const total = amountOf(read('vram total memory (b)'));
    const used = amountOf(read('vram total used memory (b)'));
    return [
      toGpu(read('card series') ?? read('card model') ?? 'AMD GPU', {
        totalMb: total === undefined ? undefined : Math.round(total / BYTES_PER_MB),
        usedMb: used === undefined ? undefined : Math.round(used / BYTES_PER_MB),
        usePercent: amountOf(read('gpu use (%)')),
      }),
    ];
  });
}

type Readings = {
  readonly totalMb: number | undefined;
  readonly usedMb: number | undefined;
  readonly usePercent: number | undefined;
};

function toGpu(name: string, { totalMb, usedMb, usePercent }: Readings): Gpu {
  return {
    name,
    ...(totalMb !== undefined && { memory_total_mb: totalMb }),
    ...(usedMb !== undefined && { memory_used_mb: usedMb }),
    ...(usePercent !== undefined && usePercent <= 100 && { utilisation_percent: usePercent }),
  };
}

/** A number, or the word in brackets that stands for one: `[N/A]`, `[Not Supported]`, `[Unknown Error]`. */
function isReading(cell: string): boolean {
  return NUMBER.test(cell) || /^\[.*\]$/.test(cell) || cell === 'N/A' || cell === 'ERR!';
}

function amountOf(cell: string | undefined): number | undefined {
  return cell !== undefined && NUMBER.test(cell) ? Number(cell) : undefined;
}

/** Its versions differ in capital letters. */
function readerOf(card: JsonObject): (name: string) => string | undefined {
  const texts = new Map(Object.entries(card).map(([key, value]) => [key.toLowerCase(), String(value).trim()]));
  return (name) => texts.get(name) || undefined;
}
