// kafkajs against a broker: node check.js BOOTSTRAP. Ends with 0 if all of it came out as it should.
'use strict'

const assert = require('node:assert/strict')
const { Kafka, CompressionTypes, ConfigResourceTypes, logLevel } = require('kafkajs')

const PATIENCE_MS = 30000
const kafka = new Kafka({ clientId: 'check', brokers: [process.argv[2]], logLevel: logLevel.NOTHING, retry: { retries: 8 } })
const admin = kafka.admin()

/** Calls run() until its result is as wanted; what it was last, when patience is at an end. */
async function until(what, run) {
  const giveUp = Date.now() + PATIENCE_MS
  while (!(await run())) {
    assert.ok(Date.now() < giveUp, `not within ${PATIENCE_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** What groupId has not read yet of the topic, `count` messages of it, by a consumer that then leaves. */
async function read(topic, groupId, count, options = {}) {
  const messages = []
  const consumer = kafka.consumer({ groupId, ...options })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ eachMessage: async ({ partition, message }) => messages.push({ partition, ...message }) })
  await until(`${count} messages of ${topic}, not ${messages.length}`, () => messages.length >= count)
  await consumer.disconnect() // commits
  return messages
}

const values = (messages) => messages.map(({ value }) => value && value.toString())

async function produced() {
  await admin.createTopics({ topics: [{ topic: 'compressed', numPartitions: 1 }, { topic: 'fields', numPartitions: 2 }] })
  for (const [acks, compression] of [[-1, CompressionTypes.None], [1, CompressionTypes.GZIP], [-1, CompressionTypes.GZIP]]) {
    const producer = kafka.producer()
    await producer.connect()
    const messages = Array.from({ length: 500 }, (_, i) => ({ value: `${acks} ${compression} message ${i}` }))
    const [{ errorCode, baseOffset }] = await producer.send({ topic: 'compressed', acks, compression, messages })
    assert.equal(errorCode, 0)
    assert.equal(Number(baseOffset) % 500, 0)
    await producer.disconnect()
  }
  const got = await read('compressed', 'compressed', 1500)
  assert.equal(got.length, 1500)
  assert.equal(new Set(values(got)).size, 1500)
  got.forEach(({ offset }, i) => assert.equal(offset, String(i)))

  const idempotent = kafka.producer({ idempotent: true, maxInFlightRequests: 1 })
  await idempotent.connect()
  const timestamp = '1700000000123'
  await idempotent.send({
    topic: 'fields',
    messages: [
      { partition: 0, key: 'k', value: 'v', headers: { colour: 'blue', twice: ['a', 'b'] }, timestamp },
      { partition: 0, key: null, value: null },
      { partition: 1, key: '', value: '' },
    ],
  })
  await idempotent.disconnect()
  const fields = await read('fields', 'fields', 3)
  const [full, nothing] = fields.filter(({ partition }) => partition === 0)
  assert.equal(full.key.toString(), 'k')
  assert.equal(full.value.toString(), 'v')
  assert.equal(full.timestamp, timestamp)
  assert.equal(full.headers.colour.toString(), 'blue')
  assert.deepEqual(full.headers.twice.map(String), ['a', 'b'])
  assert.equal(nothing.key, null)
  assert.equal(nothing.value, null)
  const [empty] = fields.filter(({ partition }) => partition === 1)
  assert.equal(empty.key.length, 0)
  assert.equal(empty.value.length, 0)
  console.log('producer: acks 1 and all, gzip, idempotent, keys, headers, nulls, timestamps')
}

async function transactions() {
  await admin.createTopics({ topics: [{ topic: 'transactions' }] })
  const producer = kafka.producer({ transactionalId: 'check', idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  for (const [value, ends] of [['one', 'commit'], ['never', 'abort'], ['two', 'commit']]) {
    const transaction = await producer.transaction()
    await transaction.send({ topic: 'transactions', messages: [{ value }] })
    await transaction.sendOffsets({ consumerGroupId: 'mover', topics: [{ topic: 'compressed', partitions: [{ partition: 0, offset: value === 'never' ? '99' : '7' }] }] })
    await transaction[ends]()
  }
  await producer.disconnect()
  assert.deepEqual(values(await read('transactions', 'committed', 2, { readUncommitted: false })), ['one', 'two'])
  assert.deepEqual(values(await read('transactions', 'everything', 3, { readUncommitted: true })), ['one', 'never', 'two'])
  const [{ partitions }] = await admin.fetchOffsets({ groupId: 'mover', topics: ['compressed'] })
  assert.deepEqual(partitions.map(({ offset }) => offset), ['7'])
  console.log('transactions: commit, abort, offsets with them')
}

async function groups() {
  await admin.createTopics({ topics: [{ topic: 'shared', numPartitions: 4 }] })
  const producer = kafka.producer()
  await producer.connect()
  const send = (from) =>
    producer.send({ topic: 'shared', messages: Array.from({ length: 40 }, (_, i) => ({ partition: i % 4, value: String(from + i) })) })
  await send(0)

  const seen = []
  const members = [1, 2].map(() => {
    const member = { consumer: kafka.consumer({ groupId: 'sharers', sessionTimeout: 10000, heartbeatInterval: 300 }), partitions: [] }
    member.consumer.on('consumer.group_join', ({ payload }) => { member.partitions = payload.memberAssignment.shared || [] })
    return member
  })
  const start = async ({ consumer }) => {
    await consumer.connect()
    await consumer.subscribe({ topics: ['shared'], fromBeginning: true })
    await consumer.run({ eachMessage: async ({ message }) => seen.push(message.value.toString()) })
  }
  await start(members[0])
  await until('one member has all partitions', () => members[0].partitions.length === 4)
  await until('it reads what there is', () => seen.length >= 40)
  await start(members[1])
  await until('two members share', () => members.every(({ partitions }) => partitions.length === 2))
  assert.deepEqual(members.flatMap(({ partitions }) => partitions).sort(), [0, 1, 2, 3])
  const { groups: [described] } = await admin.describeGroups(['sharers'])
  assert.equal(described.state, 'Stable')
  assert.equal(described.members.length, 2)
  await send(40)
  await until('both read on', () => new Set(seen).size >= 80)
  await members[1].consumer.disconnect()
  await until('the one that is left takes over', () => members[0].partitions.length === 4)
  await send(80)
  await until('it reads on', () => new Set(seen).size >= 120)
  await members[0].consumer.disconnect()
  await send(120)
  assert.deepEqual(values(await read('shared', 'sharers', 40)).map(Number).sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => 120 + i))
  await producer.disconnect()
  console.log('consumer groups: two members share, one takes over, another goes on where they committed')

  const back = []
  const consumer = kafka.consumer({ groupId: 'seekers' })
  await consumer.connect()
  await consumer.subscribe({ topics: ['compressed'], fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async ({ message }) => back.push(Number(message.offset)) })
  consumer.seek({ topic: 'compressed', partition: 0, offset: '1490' })
  await until('it reads from where it was set', () => back.length >= 10)
  assert.equal(back[0], 1490)
  consumer.pause([{ topic: 'compressed' }])
  consumer.seek({ topic: 'compressed', partition: 0, offset: '1499' })
  const before = back.length
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(back.length, before)
  consumer.resume([{ topic: 'compressed' }])
  await until('it goes on', () => back.length > before)
  assert.equal(back[before], 1499)
  await consumer.disconnect()
  console.log('consumer: seek, pause, resume')
}

async function administration() {
  assert.ok((await admin.listTopics()).includes('shared'))
  const { brokers, controller } = await admin.describeCluster()
  assert.deepEqual(brokers.map(({ nodeId }) => nodeId), [controller])
  await admin.createPartitions({ topicPartitions: [{ topic: 'shared', count: 6 }] })
  const { topics: [{ partitions }] } = await admin.fetchTopicMetadata({ topics: ['shared'] })
  assert.equal(partitions.length, 6)

  const offsets = await admin.fetchTopicOffsets('compressed')
  assert.deepEqual(offsets.map(({ low, high }) => [low, high]), [['0', '1500']])
  const [{ offset: byTime }] = await admin.fetchTopicOffsetsByTimestamp('fields', 1700000000123)
  assert.equal(byTime, '0')
  await admin.deleteTopicRecords({ topic: 'compressed', partitions: [{ partition: 0, offset: '1000' }] })
  assert.equal((await admin.fetchTopicOffsets('compressed'))[0].low, '1000')

  const topic = { type: ConfigResourceTypes.TOPIC, name: 'shared' }
  const retention = async () =>
    (await admin.describeConfigs({ resources: [{ ...topic, configNames: ['retention.ms'] }] })).resources[0].configEntries[0].configValue
  await admin.alterConfigs({ resources: [{ ...topic, configEntries: [{ name: 'retention.ms', value: '60000' }] }] })
  assert.equal(await retention(), '60000')

  assert.ok((await admin.listGroups()).groups.some(({ groupId }) => groupId === 'sharers'))
  await admin.setOffsets({ groupId: 'sharers', topic: 'shared', partitions: [{ partition: 0, offset: '3' }] })
  await admin.resetOffsets({ groupId: 'fields', topic: 'fields', earliest: true })
  const committed = async (groupId, name) => (await admin.fetchOffsets({ groupId, topics: [name] }))[0].partitions
  assert.equal((await committed('sharers', 'shared')).find(({ partition }) => partition === 0).offset, '3')
  const reset = await admin.fetchOffsets({ groupId: 'fields', topics: ['fields'], resolveOffsets: true })
  assert.deepEqual(reset[0].partitions.map(({ offset }) => offset), ['0', '0'])
  await admin.deleteGroups(['sharers', 'fields'])
  assert.ok(!(await admin.listGroups()).groups.some(({ groupId }) => groupId === 'sharers'))

  await assert.rejects(
    admin.createTopics({ topics: [{ topic: 'x', replicationFactor: 3 }] }),
    ({ errors: [error] }) => error.type === 'INVALID_REPLICATION_FACTOR',
  )
  assert.equal(await admin.createTopics({ topics: [{ topic: 'shared' }] }), false) // it is there
  await admin.deleteTopics({ topics: ['shared'] })
  assert.ok(!(await admin.listTopics()).includes('shared'))
  console.log('administration: topics, partitions, offsets, by time too, records, settings, groups')
}

async function main() {
  await admin.connect()
  await produced()
  await transactions()
  await groups()
  await administration()
  await admin.disconnect()
}

process.exitCode = 1 // until all is done: node also ends where nothing is left that could happen
main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
