import { createMemoryPair } from '@/lib/aip/transport/memory-transport';
import type { Transport } from '@/lib/aip/transport/transport';

/** A transport whose connecting fails in the way that the test wants. */
export function createFailingTransport(cause: Error): Transport {
  const [transport] = createMemoryPair();
  return { ...transport, state: 'error', connect: () => Promise.reject(cause) };
}
