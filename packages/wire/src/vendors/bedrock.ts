import { type ProxyError, type Vendor, writeBearer } from './vendor.ts';

/** Amazon Bedrock through its own APIs: InvokeModel and Converse. */
export const bedrock = {
  name: 'bedrock',
  title: 'Bedrock',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  clientBasePath: '',
  ownPaths: ['/model'],
  ownHeaders: ['amz-sdk-invocation-id', 'x-amz-date'],
  credentialHeaders: ['authorization'],
  writeCredential: writeBearer,
  errorBody: writeError,
  // The cloud below covers the other regions.
  origins: ['https://bedrock-runtime.us-east-1.amazonaws.com'],
  clouds: [
    {
      title: 'Bedrock',
      host: /^bedrock-runtime(-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
      hasLoadModes: true,
    },
  ],
  rejections: [400, 404, 413, 422],
  thinkingRefusal: { status: 400, words: ['thinking', 'reasoning'] },
} as const satisfies Vendor;

/**
 * The service's exception for each status. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and its operations.
 */
const EXCEPTION_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'AccessDeniedException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [408, 'ModelTimeoutException'],
  [424, 'ModelErrorException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
]);

/** Returns the type of the service's exception for a status. */
export function exceptionOf(status: number): string {
  const usual = status < 500 ? 'ValidationException' : 'InternalServerException';
  return EXCEPTION_OF_STATUS.get(status) ?? usual;
}

/** Writes the type into the body, where the vendor's clients look for it as well as in a header. */
function writeError({ status, message }: ProxyError): string {
  return JSON.stringify({ __type: exceptionOf(status), message });
}
