import { METHODS } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { errors } from '../api/index.js';
import { MessageExchange } from './exchange1.js';
import { limits } from './limits.js';
import { PageNotFound } from './pagenotfound.js';
import { PATHS, type PathEntry, serveApi } from './paths.js';
import { type Handler, serve } from './pipeline.js';
import type { HttpServices } from './services.js';

/**
 * The router: fastify with one route for each row of the path table. Each route runs the pipeline. The pipeline
 * authorizes the request before its handler reads a body, releases the request's resources when its client disconnects,
 * and writes errors. So fastify parses no bodies and formats no errors.
 */
export function createRouter(services: HttpServices): FastifyInstance {
  const route = (handler: Handler, exempt = false) => {
    return (request: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack();
      void serve(new MessageExchange(request.raw, reply.raw), services.stages, handler, exempt);
    };
  };
  // The slash after `api` may be percent-encoded, and then no route matches.
  const unmatched = route((call) => serveApi(call, services));
  const app = fastify({
    routerOptions: { maxParamLength: limits.headerBytesMax },
    // The pipeline responds to a path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => unmatched(request, reply),
    // No route has a schema, so the schema compilers are not loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
  });
  // Handlers read bodies themselves, within the budget for all bodies.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  for (const entry of PATHS) app.all(entry.path, route(handlerOf(entry, services), entry.exempt));
  app.setNotFoundHandler(unmatched);
  return app;
}

function handlerOf(entry: PathEntry, services: HttpServices): Handler {
  return (call) => {
    if (entry.methods === 'any' || call.exchange.method === 'GET') return entry.serve(call, services);
    throw entry.otherwise === 405 ? errors.methodNotAllowed() : new PageNotFound();
  };
}

const noCompiler = () => {
  throw new Error('routes have no schemas');
};
