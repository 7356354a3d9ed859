import type { Switches } from '../seed-data/options.ts'
import { refuse, SandboxRefusal } from './refusal.ts'

export const ALL_ON: Switches = {
  commercialCluster: true,
  beta: true,
  classification: true,
  managesLabels: true,
  videoSessions: true,
  customerStorage: true,
  cloudRecording: true,
  hostMayDelete: true,
  paidAccount: true,
  dashboard: true,
  proPlan: true,
  businessPlan: true,
  phoneLicence: true,
  administrator: true,
  carrierNumbers: true,
  pciPal: true,
  carrierGroups: true,
  multipleSites: true,
  providerExchange: true,
}

/** Throws the refusal if a switch is off. */
export function demand(switches: Switches, name: keyof Switches): void {
  if (!switches[name]) throw switchedOff(name)
}

/** Returns the refusal for a switch that is off; a plain 403 or 404 if the documents have none. */
export function switchedOff(name: keyof Switches): SandboxRefusal {
  const [status, code, message] = REFUSALS[name]
  return code === undefined
    ? new SandboxRefusal(status, { message })
    : refuse(status, code, message)
}

type Refused = readonly [status: number, code: number | string | undefined, message: string]

const REFUSALS: Readonly<Record<keyof Switches, Refused>> = {
  commercialCluster: [404, 404, 'This API is not available in this cluster.'],
  beta: [404, 404, 'This API is not available.'],
  classification: [403, 34004, 'Data classification is not enabled.'],
  managesLabels: [403, 34003, 'No permission to manage classification labels.'],
  videoSessions: [400, 200, 'This API is only for video-session accounts.'],
  customerStorage: [403, 3335, 'The account does not support customer recording storage.'],
  cloudRecording: [403, 403, 'Cloud recording is not enabled.'],
  hostMayDelete: [403, 403, 'The host may not delete cloud recordings.'],
  // Only these two refusals, of session reports, have no code.
  paidAccount: [401, undefined, 'This API is only for paid accounts.'],
  dashboard: [403, undefined, 'The dashboard is not enabled for this account.'],
  proPlan: [403, 403, 'A Pro plan or higher is required.'],
  businessPlan: [403, 403, 'A Business or Enterprise plan is required.'],
  phoneLicence: [403, 403, 'A phone license is required.'],
  administrator: [403, 403, 'Only for owners and administrators.'],
  carrierNumbers: [400, 1004, 'Carrier-supplied numbers are not enabled for this account.'],
  pciPal: [400, '200_005', 'The SIP group does not support PCI.'],
  carrierGroups: [400, 999, 'SIP groups of carriers are not optional.'],
  multipleSites: [400, '1002_003', 'A site is required for phone numbers.'],
  providerExchange: [403, 403, 'Only for provider-exchange partners.'],
}
