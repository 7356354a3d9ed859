import { PassThrough } from 'node:stream'

/** A sheet on its way into the zip, which takes it no faster than it can pack it. */
export class SheetStream extends PassThrough {
  constructor() {
    // Less than a piece of rows: one is packed while the next is made, and no more lie between.
    super({ highWaterMark: 32 * 1024 })
    // Whoever writes looks for the error himself; here it must only not go unheard.
    this.on('error', () => undefined)
    this.once('finish', () => this.emit('zipped'))
  }

  /** The base class hands over a buffer that it fills anew for the next piece. */
  override write(data: string | Buffer | { toBuffer(): Buffer }): boolean {
    return super.write(
      typeof data === 'string' || Buffer.isBuffer(data) ? data : Buffer.from(data.toBuffer()),
    )
  }
}
