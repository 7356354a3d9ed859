import { Refusal, refuse } from '../protocol/refusal.ts'
import type { Context } from './context.ts'

/** What a call is answered by whatever stands before the API: undefined where nothing does. */
export function answerBefore(
  { readings, apiUrl, fileUrl }: Context,
  { path, host }: { path: string; host: string | undefined },
  serial: number,
): Refusal | undefined {
  const answers = [apiUrl, fileUrl].map((url) => new URL(url).host)
  if (readings.apiUrl === 'moved' && !answers.includes(host ?? ''))
    return refuse(404, 404, 'No such path.')
  if (readings.address === 'moved')
    return new Refusal(308, '', { location: `https://api.moved.example${path}` })
  if (readings.busy === 'none' || serial % 40 !== 20) return undefined
  return refuse(Number(readings.busy), Number(readings.busy), 'Send it again.')
}
