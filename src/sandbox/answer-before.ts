import type { Context } from './context.ts'
import { Refusal, refuse } from './refusal.ts'

/** What a call is answered by whatever stands before the API: undefined where nothing does. */
export function answerBefore(
  { readings }: Context,
  path: string,
  serial: number,
): Refusal | undefined {
  if (readings.address === 'moved')
    return new Refusal(308, '', { location: `https://api.moved.example${path}` })
  if (readings.busy === 'none' || serial % 40 !== 20) return undefined
  return refuse(Number(readings.busy), Number(readings.busy), 'Send it again.')
}
