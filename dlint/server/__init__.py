"""The language server: findings, repairs and pages of rules in an editor.

``service`` speaks the protocol (with pygls, which nothing else imports), ``folders`` knows what is open and
when to look again, ``workshop`` holds a process for each folder, and ``worker`` is what runs there: it sees
the editor's texts in the place of the files' and asks the engine. A newer change ends a search that is under
way, with its process. ``as_lsp`` says findings in the protocol's words.
"""
