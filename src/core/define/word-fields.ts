export const PRODUCTS = ['SVC_PHONE', 'SVC_CONTACT_CENTER'] as const

export const ALLOCATIONS = ['UNALLOCATED', ...PRODUCTS] as const

export const CAPACITIES = ['SVC_PHONE_USER_ONLY', 'MULTI_USE'] as const

export const SOURCES = [
  'Svc',
  'SvcPorted',
  'SvcReserved',
  'ThirdPartyNumber',
  'BYOCCloud',
  'BYOCPremises',
] as const

export const SOURCE_SYSTEMS = ['COMMON', ...PRODUCTS] as const

export const ASSIGNEES = [
  'User',
  'CallQueue',
  'AutoReceptionist',
  'PartnerRoom',
  'SharedLineGroup',
  'GroupCallPickup',
  'CommonArea',
  'EmergencyNumberPool',
  'CompanyLocation',
  'PersonalLocation',
  'MeetingService',
  'LocalSurvivability',
  'LocalSurvivabilityEmergencyNumberPool',
  'PartnerResourceAccount',
  'DistributionGroup',
] as const

/** The fields of records, queries and bodies whose words are translated. Other fields keep their text. */
export const WORD_FIELDS: Readonly<Record<string, readonly string[]>> = {
  allocated_product: ALLOCATIONS,
  source: SOURCES,
  number_source: SOURCES,
  source_system: SOURCE_SYSTEMS,
  voice_msg_capacity: CAPACITIES,
  assigned_to_type: ASSIGNEES,
}

export const isNeutral = (word: string): boolean => /svc|^Partner/i.test(word)

export const FIELD_VALUES = [...new Set(Object.values(WORD_FIELDS).flat())]

export const FIELD_WORDS: readonly string[] = FIELD_VALUES.filter(isNeutral)

export const WORD_HEADERS = ['x-svc-trackingid', 'x-svc-signature', 'x-svc-request-timestamp']
