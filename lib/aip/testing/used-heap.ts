/** Bytes that are kept: what could be collected is collected before they are counted. */
export function usedHeapBytes(): number {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  process.getBuiltinModule('node:vm').runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
