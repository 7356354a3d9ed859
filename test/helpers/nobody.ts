import { type Suppression, suppressionOf } from '../../src/core/persons/suppression.ts'

export const NOBODY: Suppression = suppressionOf({
  key: Buffer.alloc(32),
  persons: new Set(),
  names: new Map(),
})
