import { PassThrough } from 'node:stream'

/** The stream of a sheet into the zip. It accepts data no faster than the zip compresses it. */
export class SheetStream extends PassThrough {
  constructor() {
    // Smaller than a piece of rows: one piece is compressed while the next is made, and no other piece is
    // buffered.
    super({ highWaterMark: 32 * 1024 })
    // The writer handles the error; this listener only prevents an unhandled one.
    this.on('error', () => undefined)
    this.once('finish', () => this.emit('zipped'))
  }

  /** Copies the buffer, because the base class reuses it for the next piece. */
  override write(data: string | Buffer | { toBuffer(): Buffer }): boolean {
    return super.write(
      typeof data === 'string' || Buffer.isBuffer(data) ? data : Buffer.from(data.toBuffer()),
    )
  }
}
