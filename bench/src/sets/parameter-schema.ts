import { typeName } from './type-name.ts';

/** A parameter as data sets describe it, one level deep. */
export interface Parameter {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly default?: unknown;
}

/**
 * Returns the JSON schema of a parameter: only its type, description, allowed values and default, in this
 * order.
 */
export function parameterSchema(parameter: Parameter): Record<string, unknown> {
  return {
    type: typeName(parameter.type),
    ...('description' in parameter && { description: parameter.description }),
    ...('enum' in parameter && { enum: parameter.enum }),
    ...('default' in parameter && { default: parameter.default }),
  };
}
