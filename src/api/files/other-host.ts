import type { FileCredential } from '../../core/define/file-host.ts'
import { ServiceError, TransportError } from '../../core/errors.ts'
import { PAGE_OF_HTML } from './check-file.ts'

interface OtherHost {
  host: string
  /** The credential that was sent; undefined if none was. */
  credential: FileCredential | undefined
  /** A redirect led there, so it gets no credential, whatever the settings say. */
  redirected: boolean
  /** The credentials that files of this kind may be fetched with. */
  fitting: readonly FileCredential[]
}

/**
 * Adds to the failure of another host its name, the credential sent, and the setting that changes this. The
 * host's own message may be anything, and a status alone does not suggest an action.
 */
export function ofOtherHost(error: unknown, from: OtherHost): unknown {
  if (error instanceof TransportError && error.code === PAGE_OF_HTML)
    return new TransportError(error.code, error.retryable, { ...error.facts, ...said(error, from) })
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return error
  const { operation, status, serviceCode, trackingId, verdict, facts } = error
  const answer = { operation, status, serviceCode, trackingId, verdict }
  return new ServiceError(answer, { ...facts, ...said(error, from) })
}

function said(
  { facts }: ServiceError | TransportError,
  { host, credential, redirected, fitting }: OtherHost,
): { came: string; todo: string } {
  const name = host.slice(0, 100)
  if (credential !== undefined)
    return {
      came: `${facts.came} from ${name}, which was sent what archive.hosts says (${credential})`,
      todo: `check which credential ${name} takes: ${fitting.join(', ')} or none`,
    }
  if (redirected)
    return {
      came: `${facts.came} from ${name}, to which a redirect led, so that it is sent no token`,
      todo: 'ask the service why, as what a redirect leads to has to be open by its address alone',
    }
  return {
    came: `${facts.came} from ${name}, which is sent no token`,
    todo:
      `if it is the service's own and wants one, trust it in archive.hosts: ` +
      `{host: ${name}, credential: ${fitting.join(' or ')}}`,
  }
}
