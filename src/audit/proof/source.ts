/** Bytes that can be read at any place: a file on a disk, or one that a browser was given. */
export interface BundleSource {
  size: number
  /**
   * The bytes from one place to another, less only where they end. `spare` is memory that it may fill: nobody
   * looks at it any more.
   */
  read(from: number, to: number, spare?: ArrayBufferLike): Promise<Uint8Array>
}
