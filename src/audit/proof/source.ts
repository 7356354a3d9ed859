/** Bytes with random access: a file on disk, or one chosen in a browser. */
export interface BundleSource {
  size: number
  /** The bytes between two positions; fewer at the source's end. May use the memory of `spare`. */
  read(from: number, to: number, spare?: ArrayBufferLike): Promise<Uint8Array>
}
