import type { Dispatcher } from 'undici'
import type { OpenPool } from './origin-pool.ts'

/**
 * Opens connections that copy each small answer to `onBody` once it is complete. The bodies are not decoded:
 * this is for requests that ask for no encoding.
 */
export function overhear(openPool: OpenPool, onBody: (body: Buffer) => void): OpenPool {
  return (...asked) =>
    openPool(...asked).compose((dispatch) => (options, handler) => {
      const pieces: Buffer[] = []
      let bytes = 0
      const overheard: Dispatcher.DispatchHandler = {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart: (...started) => handler.onResponseStart?.(...started),
        onResponseData(controller, piece) {
          bytes += piece.length
          if (bytes <= MOST_BYTES) pieces.push(Buffer.from(piece))
          return handler.onResponseData?.(controller, piece)
        },
        onResponseEnd(controller, trailers) {
          if (bytes <= MOST_BYTES) onBody(Buffer.concat(pieces))
          return handler.onResponseEnd?.(controller, trailers)
        },
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      }
      return dispatch(options, overheard)
    })
}

const MOST_BYTES = 65_536
