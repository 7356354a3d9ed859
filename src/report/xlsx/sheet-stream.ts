import { PassThrough } from 'node:stream'

/** A sheet on its way into the zip, which accepts it no faster than it can compress it. */
export class SheetStream extends PassThrough {
  constructor() {
    // Smaller than a piece of rows: one piece is compressed while the next is made, and no more are buffered.
    super({ highWaterMark: 32 * 1024 })
    // The writer handles the error; here it only must not be unhandled.
    this.on('error', () => undefined)
    this.once('finish', () => this.emit('zipped'))
  }

  /** The base class reuses its buffer for the next piece. */
  override write(data: string | Buffer | { toBuffer(): Buffer }): boolean {
    return super.write(
      typeof data === 'string' || Buffer.isBuffer(data) ? data : Buffer.from(data.toBuffer()),
    )
  }
}
