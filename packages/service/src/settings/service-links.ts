/**
 * Recognises the variables that Kubernetes and Docker set, unasked, for a service that other containers can reach: for one called
 * "proxy", `PROXY_SERVICE_HOST`, `PROXY_PORT_8787_TCP_ADDR` and the like. They are no settings, whatever their prefix.
 *
 * `service` is a regular expression for the service's name as these variables spell it.
 */
export function serviceLinks(service: string): RegExp {
  return new RegExp(
    `^(${service})_(SERVICE_(HOST|PORT)(_\\w+)?|PORT(_\\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)?)$`,
  );
}
