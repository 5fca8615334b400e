import { describeKeyspace, type KeyspaceUnderTest } from '../../storage/contract.js';
import { testCluster } from '../testing/cluster.js';

/** A follower of three: every write goes to the leader over the network and comes back through the log. */
async function follower(): Promise<KeyspaceUnderTest> {
  const cluster = await testCluster(3, { heartbeatMs: 20, electionMs: 200 });
  const leader = await cluster.leader();
  const { keyspace } = cluster.peers.find((peer) => peer !== leader)!;
  return { keyspace, dispose: () => cluster.close() };
}

describeKeyspace('a follower of three peers', follower);
