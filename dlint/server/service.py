"""The language server: what an editor tells and asks, and what it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from dlint import __version__
from dlint.finding import Finding, Report
from dlint.project.lines import source_lines
from dlint.server import as_lsp
from dlint.server.folders import Folder

_FIX_ALL = "source.fixAll.dlint"
# What findings hang on, beside the sources.
_WATCHED = ("**/*.py", "**/{pyproject.toml,setup.cfg,setup.py,.gitignore}", "**/*requirements*.txt")


class Server(LanguageServer):
    """The folders that are open, and the protocol."""

    def __init__(self) -> None:
        super().__init__("dlint", __version__)
        self.places: dict[Path, Folder] = {}
        self.has_taken_leave = False

    def open_texts(self) -> dict[str, str]:
        """The editor's texts of files, by their paths."""
        return {
            path: document.source
            for uri, document in self.workspace.text_documents.items()
            if (path := _path(uri)) is not None
        }

    def folder_of(self, uri: str) -> Folder | None:
        """The folder that a file lies in; a file outside of all of them is one by itself."""
        path = _path(uri)
        if path is None:
            return None
        holding = [folder for folder in self.places.values() if folder.holds(Path(path))]
        if holding:
            return max(holding, key=lambda folder: len(folder.path.parts))
        return self._opened(Path(path))

    def open_folders(self) -> None:
        """Looks at the folders of the workspace, and lets go of those that are no longer in it."""
        wanted = {Path(path) for uri in self.workspace.folders if (path := _path(uri)) is not None}
        if not self.workspace.folders and self.workspace.root_path:
            wanted = {Path(self.workspace.root_path)}
        for gone in [each for each in self.places if each not in wanted and each.is_dir()]:
            self._forget(self.places.pop(gone))
        for folder in wanted - self.places.keys():
            self._opened(folder).look(at_once=True)

    def _opened(self, path: Path) -> Folder:
        self.places[path] = Folder(path, self.open_texts, self._tell, self._complain)
        return self.places[path]

    def closed(self, uri: str) -> None:
        """A file that is not open counts as the disk has it; one outside of all folders is not looked at."""
        folder = self.folder_of(uri)
        if folder is not None and folder.path == Path(_path(uri) or ""):
            self._forget(self.places.pop(folder.path))
        elif folder is not None:
            folder.look(at_once=True)

    def _forget(self, folder: Folder) -> None:
        folder.close()
        for path in folder.shown:
            self._publish(path, [])

    def _tell(self, folder: Folder, report: Report, texts: Mapping[str, str]) -> None:
        """Publishes what was found in the files, and that nothing is left in those that had something."""
        source = source_lines({Path(path): _bytes(text) for path, text in texts.items()})
        codec = self.workspace.position_codec
        found: dict[str, list[types.Diagnostic]] = {}
        for finding in report.findings:
            if finding.cell is None:  # of a notebook the editor has cells, and here are only the file's lines
                found.setdefault(finding.path, []).append(as_lsp.diagnostic(finding, source, codec))
        for trouble in report.troubles:
            found.setdefault(trouble.path, []).append(as_lsp.of_trouble(trouble))
        for path in sorted(folder.shown | found.keys()):
            self._publish(path, found.get(path, []))
        folder.shown = set(found)

    def _publish(self, path: str, diagnostics: list[types.Diagnostic]) -> None:
        uri = as_lsp.uri_of(path)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version=self._version(uri))
        )

    def _version(self, uri: str) -> int | None:
        document = self.workspace.text_documents.get(uri)
        return document.version if document is not None else None

    def _complain(self, error: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"dlint: {error}"))

    def findings_at(self, uri: str, asked: types.Range) -> list[Finding]:
        """The findings of a file, as they were last seen, that a range touches."""
        folder, path = self.folder_of(uri), _path(uri)
        if folder is None or path is None:
            return []
        lines = self.workspace.get_text_document(uri).source.splitlines()
        codec = self.workspace.position_codec
        found = folder.findings.get(path, [])
        return list(as_lsp.covering([(each, as_lsp.place(each, lines, codec)) for each in found], asked))

    async def edit_of(self, data: Mapping[str, object]) -> types.WorkspaceEdit | None:
        """The edit that an action stands for; where there is none, the user hears why."""
        folder = self.folder_of(str(data["uri"]))
        if folder is None:
            return None
        what = {key: value for key, value in data.items() if key not in ("uri", "do")}
        answer = await folder.edits(str(data["do"]), file=_path(str(data["uri"])), **what)
        edits = as_lsp.text_edits(answer.get("edits", []))
        if not edits:
            why = answer.get("error") or answer.get("why") or "there is nothing to change"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"dlint: {why}"))
            return None
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=self._version(uri)),
                    list(each),
                )
                for uri, each in edits.items()
            ]
        )

    def close(self) -> None:
        """Leaves no process behind."""
        for folder in self.places.values():
            folder.close()


def serve() -> bool:
    """Serve until the editor says that it is enough, or is gone; whether it took its leave as agreed."""
    server = _made()
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # whatever prints must not speak into the answers
        try:
            server.start_io(stdout=answers)
        finally:
            server.close()
    return server.has_taken_leave


def _made() -> Server:
    server = Server()

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        server.open_folders()
        watched = server.client_capabilities.workspace
        files = watched.did_change_watched_files if watched is not None else None
        if files is not None and files.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
            await server.client_register_capability_async(
                types.RegistrationParams(
                    [
                        types.Registration(
                            "dlint-files",
                            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                            types.DidChangeWatchedFilesRegistrationOptions(watchers),
                        )
                    ]
                )
            )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        _look(server, params.text_document.uri, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        _look(server, params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        _look(server, params.text_document.uri, at_once=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        for folder in {_around(server, change.uri) for change in params.changes}:
            if folder is not None:
                folder.look()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(_params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.open_folders()

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, _FIX_ALL], resolve_provider=True),
    )
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        found = server.findings_at(uri, params.range)
        actions = [action for finding in found for action in _actions(uri, finding)]
        if found or (only and any(_FIX_ALL.startswith(str(kind)) for kind in only)):
            title, every = "dlint: make all safe repairs of this file", {"do": "repair", "uri": uri}
            actions.append(types.CodeAction(title, _FIX_ALL, data=every))
        return [each for each in actions if not only or any(str(each.kind).startswith(kind) for kind in only)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        if isinstance(action.data, dict):
            action.edit = await server.edit_of(action.data)
        return action

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        here = types.Range(params.position, params.position)
        found = server.findings_at(params.text_document.uri, here)
        if not found:
            return None
        from dlint.rules import all_rules

        pages = [f"**{each.code}** {each.message}\n\n---\n\n{all_rules()[each.code].page}" for each in found]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(pages)))

    @server.feature(types.SHUTDOWN)
    async def shut_down(_params: None) -> None:
        server.has_taken_leave = True
        server.close()

    return server


def _look(server: Server, uri: str, *, at_once: bool = False) -> None:
    folder = server.folder_of(uri)
    if folder is not None:
        folder.look(at_once=at_once)


def _around(server: Server, uri: str) -> Folder | None:
    """The folder that a file lies in, should one be open."""
    path = _path(uri)
    holding = [each for each in server.places.values() if path is not None and each.holds(Path(path))]
    return max(holding, key=lambda folder: len(folder.path.parts), default=None)


def _actions(uri: str, finding: Finding) -> Iterator[types.CodeAction]:
    """What can be done about a finding. What that changes is found when it is chosen."""
    kind = types.CodeActionKind.QuickFix
    if finding.remedy is not None:
        safe = finding.remedy.applicability == "safe"
        title = f"{finding.remedy.summary} ({finding.code}{'' if safe else ', unsafe: read the change'})"
        place = [finding.code, finding.line, finding.column]
        data = {"do": "repair", "uri": uri, "place": place}
        yield types.CodeAction(title, kind, is_preferred=safe, data=data)
    silence = {"do": "silence", "uri": uri, "code": finding.code, "line": finding.line}
    yield types.CodeAction(f"Silence it: # noqa: {finding.code}", kind, data=silence)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _path(uri: str) -> str | None:
    """The path of a file; None for what is none (an untitled text, another machine's)."""
    return to_fs_path(uri) if uri.startswith("file:") else None
