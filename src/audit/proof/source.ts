/** Bytes with random access: a file on disk, or one chosen in a browser. */
export interface BundleSource {
  size: number
  /**
   * The bytes between two positions, fewer only at the end. `spare` is unused memory that it may overwrite.
   */
  read(from: number, to: number, spare?: ArrayBufferLike): Promise<Uint8Array>
}
