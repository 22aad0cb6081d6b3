/** The credentials of clients, which are also the proxy's: by these it knows them. */
export const AWS_CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
export const AWS_REGION = 'eu-central-1';

/** The same as the vendor's own clients take them. */
export const CLIENT_CREDENTIALS = { region: AWS_REGION, credentials: AWS_CREDENTIALS };

/** Settings of a proxy that signs with them. */
export const AWS_SETTINGS = {
  PROXY_UPSTREAMS_BEDROCK_AUTH_KIND: 'sigv4',
  PROXY_UPSTREAMS_BEDROCK_AUTH_REGION: AWS_REGION,
  PROXY_UPSTREAMS_BEDROCK_AUTH_ACCESS_KEY_ID: AWS_CREDENTIALS.accessKeyId,
  PROXY_UPSTREAMS_BEDROCK_AUTH_SECRET_ACCESS_KEY: AWS_CREDENTIALS.secretAccessKey,
};

/** What an upstream asks for that takes nothing else. */
export const AWS_SIGNING = { ...AWS_CREDENTIALS, region: AWS_REGION, service: 'bedrock' };
