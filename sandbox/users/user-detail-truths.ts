import { cleanText } from '../base/clean-text.ts'
import type { StreamTruth } from '../protocol/stream-truth.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { userDetail } from './user-details.ts'
import { type User, userAt, userTruth } from './users.ts'

type Json = Record<string, unknown>

/** The truths of user details; invited people have none. */
export const USER_DETAIL_TRUTHS: Readonly<Record<string, StreamTruth>> = {
  user_details: {
    kind: 'users',
    key: ['id'],
    rows: (seedData, state, { index }) => {
      const user = userAt(seedData, state, index)
      return user.status === 'pending' ? [] : [detailTruth(seedData, user)]
    },
    beside: (seedData, state, index) => {
      const { last_login_time: _login, ...steady } = userDetail(
        seedData,
        userAt(seedData, state, index),
      )
      return steady
    },
  },
  user_phone_numbers: {
    kind: 'users',
    key: ['user_id', 'code', 'number', 'ordinal'],
    rows: (seedData, state, { index }) => {
      const user = userAt(seedData, state, index)
      if (user.status === 'pending') return []
      const { phone_numbers: numbers } = userDetail(seedData, user)
      return (numbers as Json[]).map((number) => ({ user_id: user.id, ordinal: '0', ...number }))
    },
  },
}

/** Returns the list's fields, and the texts, flags and arrays of the detail. */
function detailTruth(seedData: SeedData, user: User): Json {
  const detail = userDetail(seedData, user)
  const { location: _city, job_title: _job, use_pmi: _use, ...listed } = userTruth(user)
  const texts = TEXTS.map((name) => {
    const value = detail[name]
    return [name, typeof value === 'string' ? cleanText(value) : null]
  })
  return {
    ...listed,
    ...Object.fromEntries(texts),
    use_pmi: detail.use_pmi,
    account_number: String(detail.account_number),
    group_ids: detail.group_ids,
    im_group_ids: detail.im_group_ids ?? null,
    login_types: JSON.stringify(detail.login_types),
    custom_attributes: JSON.stringify(detail.custom_attributes),
  }
}

const TEXTS = [
  'role_name',
  'job_title',
  'company',
  'cost_center',
  'location',
  'language',
  'cluster',
  'jid',
  'cms_user_id',
  'phone_country',
  'phone_number',
  'account_id',
  'pic_url',
]
