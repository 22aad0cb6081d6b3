import type { RelevanceSet } from './relevance-set.ts';

/** Short technical words: as they stand in a name, and where one side has the long form. */
export const abbreviations: RelevanceSet = {
  title: 'abbreviations',
  tools: [
    { name: 'create_pull_request', description: 'Propose changes on a branch for review.' },
    { name: 'db_query', description: 'Run a statement and return rows.' },
    { name: 'ci_status', description: 'Outcome of the last pipeline.' },
    { name: 's3_copy', description: 'Copy an object between buckets.' },
    { name: 'k8s_drain_node', description: 'Move all pods off a machine.' },
    { name: 'kubernetes_apply', description: 'Apply a manifest to the cluster.' },
    { name: 'vm_resize', description: 'Change the size of a virtual machine.' },
    { name: 'ip_lookup', description: 'Owner and place of an address.' },
    { name: 'repository_fork', description: 'Copy a code base into your own account.' },
    { name: 'get_configuration', description: 'Show the settings of a service.' },
    { name: 'list_environment_variables', description: 'Show the variables that a process is started with.' },
    { name: 'ui_snapshot', description: 'Picture of a window.' },
    { name: 'authentication_login', description: 'Sign in and get a token.' },
  ],
  queries: [
    { query: 'open a PR', gold: 'create_pull_request', why: 'PR stands for pull request' },
    { query: 'db', gold: 'db_query', why: 'a two-letter word alone' },
    { query: 'is CI green', gold: 'ci_status', why: 'a two-letter word among short ones' },
    { query: 'cp from S3', gold: 's3_copy', why: 'a letter and a digit, in capitals' },
    {
      query: 'k8s node',
      gold: 'k8s_drain_node',
      why: 'k8s literally and node; the other tool has the long form',
    },
    {
      query: 'apply k8s manifest',
      gold: 'kubernetes_apply',
      why: 'k8s stands for kubernetes; the other tool has it literally',
    },
    { query: 'resize VM', gold: 'vm_resize', why: 'capitals and another order' },
    { query: 'whose IP is this', gold: 'ip_lookup', why: 'a two-letter word among stop words' },
    { query: 'fork repo', gold: 'repository_fork', why: 'repo stands for repository' },
    { query: 'config', gold: 'get_configuration', why: 'a clipped word' },
    { query: 'env vars', gold: 'list_environment_variables', why: 'two clipped words' },
    { query: 'UI', gold: 'ui_snapshot', why: 'a two-letter word alone, in capitals' },
    { query: 'auth token', gold: 'authentication_login', why: 'auth stands for authentication' },
  ],
};
