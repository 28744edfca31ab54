import { describe } from 'vitest';
import { createMemoryPair } from './memory-transport';
import { transportContract } from './transport.contract';

describe('memory pair', () => {
  transportContract(async () => createMemoryPair());
});
