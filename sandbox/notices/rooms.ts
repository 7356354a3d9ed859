import { addOddText } from '../base/clean-text.ts'
import { pick } from '../base/random.ts'
import { HOUR_MS, isoSecond } from '../base/wire-time.ts'
import { plainId } from '../seed-data/ids.ts'
import { ALERT_STORIES } from './alerts.ts'
import type { Happening, Scenario, Scene } from './happening.ts'

const room: Scenario = (scene) => {
  const id = roomId(scene)
  const is = (state: string) => ({ thing: 'room', key: [id], state })
  const called = (room_name: string) => ({ id, room_name })
  return [
    { ...told('created'), object: called('New room'), now: is('present') },
    { ...told('updated'), object: called(roomName(scene)), now: is('present') },
    { ...told('deleted'), object: called(roomName(scene)), now: is('deleted') },
  ]
}

const location: Scenario = ({ seedData, index, operator }) => {
  const id = plainId(seedData.idSeed, 0xe8, index)
  const object = {
    id,
    name: `Place ${index}`,
    parent_location_id: plainId(seedData.idSeed, 0xe8, index + 1000),
    type: pick(['country', 'states', 'city', 'campus', 'building', 'floor'], index),
  }
  const is = (state: string) => ({ thing: 'location', key: [id], state })
  return [
    { ...told('location_created'), operator, object, now: is('present') },
    { ...told('location_deleted'), operator, object, now: is('deleted') },
  ]
}

/** People enter and leave a booked room. Events about a room with a consumer calendar have fewer fields. */
const booking: Scenario = (scene) => {
  const { seedData, index } = scene
  const kind = index % 3
  const event_id = plainId(seedData.idSeed, 0xe9, index)
  const object = {
    ...named(scene),
    email: `room.${index}@corp.example`,
    calendar_id: `calendar-${index}`,
    calendar_name: `Calendar ${index}`,
    event_id,
    calendar_type: String(kind),
    api_type: kind === 0 ? '' : String(index % 2),
    ...(kind === 0
      ? {}
      : { change_key: `ck-${index}`, resource_email: `room.${index}@corp.example` }),
  }
  const is = (state: string) => ({ thing: 'room_booking', key: [object.id, event_id], state })
  return [
    { ...told('checked_in'), object, now: is('checked_in') },
    { ...told('checked_out'), object, now: is('checked_out') },
  ]
}

const sensors: Scenario = (scene) => [
  {
    ...told('sensor_data'),
    object: {
      ...named(scene),
      device_id: `device-${scene.index}`,
      sensor_data: SENSORS.map((sensor_type, at) => ({
        date_time: isoSecond(scene.nowMs),
        sensor_type,
        sensor_value: String(20 + at),
      })),
    },
  },
]

const signage: Scenario = (scene) => [
  {
    ...told('digital_signage_app_ended'),
    object: {
      room_id: roomId(scene),
      app_id: `app-${scene.index}`,
      app_name: 'Welcome board',
      start_time: isoSecond(scene.nowMs - HOUR_MS),
      end_time: isoSecond(scene.nowMs),
    },
  },
]

/** The documents do not list the platforms, so every second meeting has an unknown platform. */
const partnerMeeting: Scenario = (scene) => {
  const { index, nowMs } = scene
  const known = index % 2 === 0
  return [
    {
      ...told('thirdparty_meeting_attempted'),
      object: {
        room_id: roomId(scene),
        join_time: isoSecond(nowMs),
        join_url: `https://partner.example/join/${index}?pwd=partner-secret`,
        passcode: 'partner-secret',
        sip_address: `${index}@sip.partner.example`,
        third_party_meeting_id: `tp-${index}`,
        meeting_source_type: known ? `PARTNER_${(index % 5) + 1}` : 'UNKNOWN',
      },
    },
  ]
}

export const ROOMS = {
  room,
  location,
  booking,
  sensors,
  signage,
  'partner-meeting': partnerMeeting,
  ...ALERT_STORIES,
}

function told(name: string): Omit<Happening, 'object'> {
  return { event: `svcroom.${name}`, timed: 'integer' }
}

function named(scene: Scene): { id: string; room_name: string } {
  return { id: roomId(scene), room_name: roomName(scene) }
}

function roomId({ seedData, index }: Scene): string {
  return plainId(seedData.idSeed, 0xe7, index)
}

function roomName({ index, h }: Scene): string {
  return addOddText(`Room ${index}`, h >>> 4)
}

const SENSORS = [
  'CO2',
  'TEMPERATURE',
  'REAL_TIME_PEOPLE_COUNT',
  'HUMIDITY',
  'VOC',
  'AQI',
  'PM25',
  'PM10',
  'AIR_PRESSURE',
]
