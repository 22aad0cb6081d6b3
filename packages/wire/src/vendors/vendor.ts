/**
 * A vendor whose conventions an upstream follows: everything that belongs neither to a wire format nor to a
 * single address. Plain data except for two functions.
 *
 * Contract: code that distinguishes vendors uses only this interface. A new vendor is one literal in
 * `vendors/` and one line in `vendors.ts`: the settings, the built-in upstream, credentials and error shapes
 * follow from it.
 */
export interface Vendor extends VendorSignature, VendorCredentials {
  /** The name in settings (`upstreams.{name}.format`) and traces, and of its built-in upstream. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  /** The address of the built-in upstream. */
  readonly baseUrl: string;
  /** The path that its clients insert between their base URL and the path of a request. */
  readonly clientBasePath: string;
  /**
   * Returns the JSON body of an error that the proxy itself makes, in the shape that clients of this vendor
   * read.
   */
  errorBody(error: ProxyError): string;
  /**
   * Origins to which the vendor's own documentation applies, including its load modes. Only the operator
   * knows what other servers support.
   */
  readonly origins: readonly string[];
  /** Clouds that serve this vendor's API with their own conventions. None by default. */
  readonly clouds?: readonly VendorCloud[];
  /** Statuses with which a server rejects the form of a request, so that another form is worth a try. */
  readonly rejections: readonly number[];
  /**
   * Response headers with an address at the vendor's server where the client is to continue, in lower case.
   * None by default.
   */
  readonly addressHeaders?: readonly string[];
  /**
   * The way a server refuses thinking that has moved in the history; undefined where none is bound. The
   * request is then worth a retry without it.
   */
  readonly thinkingRefusal: ThinkingRefusal | undefined;
}

/** The marks that identify the vendor of a request's client. */
interface VendorSignature {
  /**
   * Paths that only this vendor has, with everything below them. They go to its built-in upstream whatever
   * the headers say, and never begin with the name of an upstream.
   */
  readonly ownPaths: readonly string[];
  /**
   * Paths that clients of several vendors use, with everything below them. A request on one is for one of
   * these vendors.
   */
  readonly sharedPaths?: readonly string[];
  /** Ends of paths that only clients of this vendor use on shared paths. */
  readonly ownPathEnds?: readonly string[];
  /**
   * Prefixes of this vendor's keys that no other vendor's have. They identify its clients on shared paths.
   */
  readonly keyPrefixes?: readonly string[];
  /**
   * Headers that only clients of this vendor send, in lower case. They identify its clients on shared paths.
   */
  readonly ownHeaders: readonly string[];
}

/** The places of a vendor's credentials. */
interface VendorCredentials {
  /** Headers in which clients of this vendor send a credential, in lower case. */
  readonly credentialHeaders: readonly string[];
  /** Query parameters in which they send one. None by default. */
  readonly credentialParameters?: readonly string[];
  /**
   * The start of a WebSocket subprotocol in which they send one, as browsers can send no header there.
   * Undefined by default.
   */
  readonly credentialProtocol?: string;
  /** Returns the header that carries an operator's key. */
  writeCredential(apiKey: string): readonly [name: string, value: string];
}

/** A cloud that serves a vendor's API: only the differences from the vendor's own addresses. */
export interface VendorCloud {
  /** The name for people. */
  readonly title: string;
  /** Matches the host names of its addresses, in lower case. */
  readonly host: RegExp;
  /** Returns the header that carries an operator's key there; the vendor's own header by default. */
  readonly writeCredential?: Vendor['writeCredential'];
  /**
   * The first segment of its own paths if that is also the name of an upstream; there, it belongs to the
   * path.
   */
  readonly pathRoot?: string;
  /** Whether it documents the vendor's load modes for its own addresses. False by default. */
  readonly hasLoadModes?: boolean;
}

/** An error of the proxy, before it has a vendor's shape. */
export interface ProxyError {
  /** The HTTP status of the response, or the one that it would have. */
  readonly status: number;
  /** The proxy's own error code; undefined when there is none. */
  readonly code?: string | undefined;
  readonly message: string;
}

/** An error response that refuses thinking. */
interface ThinkingRefusal {
  readonly status: number;
  /** Words that no other refusal has in its body: any one is enough. */
  readonly words: readonly string[];
}

/**
 * Returns the header that carries a key as a bearer token:
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1.
 */
export function writeBearer(apiKey: string): readonly [name: string, value: string] {
  return ['authorization', `Bearer ${apiKey}`];
}
