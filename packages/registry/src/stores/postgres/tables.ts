/** Version of the tables. A later program wrote a database with a higher one. */
export const FORMAT = 2;

/** Lock for creating the tables, so that instances that start together do not create them twice. An arbitrary number. */
export const SETUP_LOCK = 8_789_001;

/** Statements that create the tables. Ids are compared by their bytes, as in the process. */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS winnow_registry_format (format integer NOT NULL);
  CREATE TABLE IF NOT EXISTS winnow_registry_scopes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    epoch text NOT NULL,
    key text NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    tools integer NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_tools (
    scope integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    definition text NOT NULL,
    rest text NOT NULL,
    PRIMARY KEY (scope, id)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_changes (
    scope integer NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    events text NOT NULL,
    PRIMARY KEY (scope, version)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_calls (
    scope integer NOT NULL,
    day date NOT NULL,
    tool text COLLATE "C" NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (scope, day, tool)
  );
  CREATE TABLE IF NOT EXISTS winnow_registry_notes (
    scope integer NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (scope, name)
  );
`;
