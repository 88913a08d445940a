/* Building blocks of the wrappers: owners of handles, views of arrays, callbacks. */
#ifndef BVTREE_HANDLE_HPP
#define BVTREE_HANDLE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "result.hpp"

#ifndef BVTREE_NO_EXCEPTIONS
#include <exception>
#endif

namespace bvtree {

/* A view of an array: a std::vector, a std::array, a std::span, or a pointer and a count. */
template <class T>
class View {
public:
    View() = default;
    View(T *data, std::size_t size) : data_(data), size_(size) {}
    template <std::size_t N>
    View(T (&array)[N]) : data_(array), size_(N) {}
    template <class Items, class = std::enable_if_t<
                               std::is_convertible_v<decltype(std::declval<Items &>().data()), T *> &&
                               std::is_convertible_v<decltype(std::declval<Items &>().size()), std::size_t>>>
    View(Items &&items) : data_(items.data()), size_(items.size()) {}

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t place) const { return data_[place]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail {

/* Owns a handle. A moved-from object has none, and its queries return errors. */
template <class T, void (*Free)(T *)>
class Handle {
public:
    using Raw = T;
    /* Takes ownership of a handle from bvtree.h. */
    explicit Handle(T *raw) noexcept : raw_(raw) {}

    T *get() const noexcept { return raw_.get(); }
    /* Releases ownership of the handle: the caller frees it. */
    T *release() noexcept { return raw_.release(); }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

private:
    struct Deleter {
        void operator()(T *raw) const noexcept { Free(raw); }
    };
    std::unique_ptr<T, Deleter> raw_;
};

/* Creates an object from the handle that `make` writes. */
template <class Object, class Make>
Result<Object> make(Make make) {
    typename Object::Raw *raw = nullptr;
    const Status status = make(&raw);
    return answer(status, Object(raw));
}

/* Adapts a caller's callback to C. An exception that it throws is kept until C has returned. */
template <class Item, class Function>
struct Visit {
    Function &function;
#ifndef BVTREE_NO_EXCEPTIONS
    std::exception_ptr thrown{};
#endif

    static std::int32_t call(void *user, const Item *item) noexcept {
        Visit &visit = *static_cast<Visit *>(user);
#ifndef BVTREE_NO_EXCEPTIONS
        try {
            return visit.stops(*item);
        } catch (...) {
            visit.thrown = std::current_exception();
            return 1;
        }
#else
        return visit.stops(*item);
#endif
    }

    std::int32_t stops(const Item &item) {
        if constexpr (std::is_void_v<std::invoke_result_t<Function &, const Item &>>) {
            function(item);
            return 0;
        } else {
            return function(item) ? 0 : 1;
        }
    }
};

/* Runs a query that reports to a callback; rethrows what the callback threw. */
template <class Item, class Function, class Ask>
Status visit_each(Function &&function, Ask ask) {
    Visit<Item, std::remove_reference_t<Function>> visit{function};
    const Status status = ask(&decltype(visit)::call, static_cast<void *>(&visit));
#ifndef BVTREE_NO_EXCEPTIONS
    if (visit.thrown) std::rethrow_exception(visit.thrown);
#endif
    return status;
}

template <class Item, class Function, class Ask>
Result<void> for_each(Function &&function, Ask ask) {
    return done(visit_each<Item>(function, ask));
}

} // namespace detail
} // namespace bvtree

#endif
